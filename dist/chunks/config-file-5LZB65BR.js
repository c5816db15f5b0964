import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{readConfigFile}from"./chunk-SYCVFQ2Q.js";import"./chunk-MLE46HYO.js";import"./chunk-YYU7XBUG.js";import"./chunk-HEMZZMLB.js";import"./chunk-E3JWMDON.js";export{readConfigFile};
