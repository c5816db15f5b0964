import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{context,getOctokit}from"./chunk-L2LYPE4Y.js";import"./chunk-ODF6QF5A.js";import"./chunk-QD4MXW6U.js";import"./chunk-E3JWMDON.js";export{context,getOctokit};
