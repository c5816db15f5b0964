import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{pairsNeededForMargin}from"./chunk-YI7CPTAX.js";import"./chunk-6Y6QB2M2.js";import"./chunk-ABZBNJLJ.js";import"./chunk-S4PWU2SX.js";import"./chunk-E3JWMDON.js";export{pairsNeededForMargin};
