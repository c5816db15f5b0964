import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
function isMargin(margin){return margin>0&&margin<1}export{isMargin};
