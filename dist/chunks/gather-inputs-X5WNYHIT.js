import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{gatherInputs,inputsOfLine}from"./chunk-B2RCWXPH.js";import"./chunk-QD4MXW6U.js";import"./chunk-E3JWMDON.js";export{gatherInputs,inputsOfLine};
