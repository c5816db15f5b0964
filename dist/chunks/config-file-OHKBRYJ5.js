import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{readConfigFile}from"./chunk-FUNBOXDR.js";import"./chunk-MLE46HYO.js";import"./chunk-AUX245ZX.js";import"./chunk-OQFHCDZH.js";import"./chunk-E3JWMDON.js";export{readConfigFile};
