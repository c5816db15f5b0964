import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{lastRecord}from"./chunk-RE2Y7XQF.js";import"./chunk-26ZLOOQC.js";import"./chunk-GESNWKY5.js";import"./chunk-E2HBXJCI.js";import"./chunk-NS7WMEGN.js";import"./chunk-FK46DX3D.js";import"./chunk-DV2MLHKS.js";import"./chunk-E3JWMDON.js";export{lastRecord};
