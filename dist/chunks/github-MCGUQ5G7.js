import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{context,getOctokit}from"./chunk-66OJ6ESH.js";import"./chunk-POPPJXE5.js";import"./chunk-E3JWMDON.js";export{context,getOctokit};
