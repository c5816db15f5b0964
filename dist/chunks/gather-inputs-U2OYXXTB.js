import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{gatherInputs,inputsOfLine}from"./chunk-AUX245ZX.js";import"./chunk-OQFHCDZH.js";import"./chunk-E3JWMDON.js";export{gatherInputs,inputsOfLine};
