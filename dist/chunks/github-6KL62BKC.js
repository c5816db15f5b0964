import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{context,getOctokit}from"./chunk-L2LYPE4Y.js";import"./chunk-OZ24VLQE.js";import"./chunk-HEMZZMLB.js";import"./chunk-E3JWMDON.js";export{context,getOctokit};
