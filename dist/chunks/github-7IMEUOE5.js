import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{context,getOctokit}from"./chunk-CUYGC67S.js";import"./chunk-E3JWMDON.js";export{context,getOctokit};
