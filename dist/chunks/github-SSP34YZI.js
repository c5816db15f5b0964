import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{context,getOctokit}from"./chunk-Q6FSJZ3J.js";import"./chunk-BKCCTTUZ.js";import"./chunk-V6QRKZLQ.js";import"./chunk-E3JWMDON.js";export{context,getOctokit};
