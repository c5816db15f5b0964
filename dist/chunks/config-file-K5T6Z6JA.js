import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{readConfigFile}from"./chunk-KUYE6D2H.js";import"./chunk-MLE46HYO.js";import"./chunk-B2RCWXPH.js";import"./chunk-QD4MXW6U.js";import"./chunk-E3JWMDON.js";export{readConfigFile};
