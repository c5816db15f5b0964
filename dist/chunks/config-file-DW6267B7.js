import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{readConfigFile}from"./chunk-ORFXD7UH.js";import"./chunk-MLE46HYO.js";import"./chunk-6AJIJIOV.js";import"./chunk-HAO7DEDV.js";import"./chunk-E3JWMDON.js";export{readConfigFile};
