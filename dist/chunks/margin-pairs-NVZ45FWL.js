import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{pairsNeededForMargin}from"./chunk-HYPWSS6B.js";import"./chunk-ABZBNJLJ.js";import"./chunk-5ANNXP4Q.js";import"./chunk-QOMB3FVI.js";import"./chunk-UIU2TQQJ.js";import"./chunk-QD4MXW6U.js";import"./chunk-E3JWMDON.js";export{pairsNeededForMargin};
