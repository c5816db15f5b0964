import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import*as path from"node:path";function calledAs(script){return script===void 0||path.extname(script)!==".js"?"rollout-bench":`node ${path.relative(process.cwd(),script)||script}`}export{calledAs};
