import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{parseHeldOut}from"./chunk-4BOSB2ZG.js";import"./chunk-MLE46HYO.js";import"./chunk-JSH2WR75.js";import"./chunk-BFMJ5M4N.js";import"./chunk-UIU2TQQJ.js";import"./chunk-HEMZZMLB.js";import"./chunk-E3JWMDON.js";export{parseHeldOut};
