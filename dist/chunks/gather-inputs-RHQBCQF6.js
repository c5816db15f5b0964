import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{gatherInputs,inputsOfLine}from"./chunk-YYU7XBUG.js";import"./chunk-HEMZZMLB.js";import"./chunk-E3JWMDON.js";export{gatherInputs,inputsOfLine};
