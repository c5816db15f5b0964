import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{gatherInputs,inputsOfLine}from"./chunk-6AJIJIOV.js";import"./chunk-HAO7DEDV.js";import"./chunk-E3JWMDON.js";export{gatherInputs,inputsOfLine};
