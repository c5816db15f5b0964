import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{pairsNeededForMargin}from"./chunk-N2UQY2OL.js";import"./chunk-ABZBNJLJ.js";import"./chunk-TGX25OL6.js";import"./chunk-5ADOJXAK.js";import"./chunk-UIU2TQQJ.js";import"./chunk-HAO7DEDV.js";import"./chunk-E3JWMDON.js";export{pairsNeededForMargin};
