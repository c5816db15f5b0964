import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{parseHeldOut}from"./chunk-JFLZSL5E.js";import"./chunk-MLE46HYO.js";import"./chunk-DLTEMY2B.js";import"./chunk-P3M3C4Y4.js";import"./chunk-UIU2TQQJ.js";import"./chunk-OQFHCDZH.js";import"./chunk-E3JWMDON.js";export{parseHeldOut};
