import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{cellKey}from"./chunk-YLCFQWOK.js";function episodeAnchor(cell){return`ep-${cellKey(cell)}`}export{episodeAnchor};
