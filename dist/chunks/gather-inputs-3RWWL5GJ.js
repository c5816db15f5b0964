import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{gatherInputs,inputsOfLine}from"./chunk-7OHFHPNQ.js";import"./chunk-V6QRKZLQ.js";import"./chunk-E3JWMDON.js";export{gatherInputs,inputsOfLine};
