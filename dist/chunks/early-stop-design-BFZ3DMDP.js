import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{COLLAPSE_LEVEL,LOOKS,lastPassLevel,looksOf,stopDesignOf}from"./chunk-WKKPJARY.js";import"./chunk-ABZBNJLJ.js";import"./chunk-S4PWU2SX.js";import"./chunk-E3JWMDON.js";export{COLLAPSE_LEVEL,LOOKS,lastPassLevel,looksOf,stopDesignOf};
