import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{readConfigFile}from"./chunk-5BPJXMHV.js";import"./chunk-MLE46HYO.js";import"./chunk-7OHFHPNQ.js";import"./chunk-V6QRKZLQ.js";import"./chunk-E3JWMDON.js";export{readConfigFile};
