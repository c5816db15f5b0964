import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{parseHeldOut}from"./chunk-7QA65FQY.js";import"./chunk-MLE46HYO.js";import"./chunk-TGX25OL6.js";import"./chunk-5ADOJXAK.js";import"./chunk-UIU2TQQJ.js";import"./chunk-HAO7DEDV.js";import"./chunk-E3JWMDON.js";export{parseHeldOut};
