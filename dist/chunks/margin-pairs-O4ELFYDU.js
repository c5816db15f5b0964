import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{pairsNeededForMargin}from"./chunk-BM4SSXBP.js";import"./chunk-ABZBNJLJ.js";import"./chunk-OKAQH7ZY.js";import"./chunk-NBZUK7KP.js";import"./chunk-UIU2TQQJ.js";import"./chunk-V6QRKZLQ.js";import"./chunk-E3JWMDON.js";export{pairsNeededForMargin};
