import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{VERSION}from"./chunk-77USX635.js";import"./chunk-E3JWMDON.js";export{VERSION};
