import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
function stableJson(value){return`${JSON.stringify(sorted(value),null,2)}
`}function*stableJsonParts(value){let names=Object.keys(value).filter(name=>value[name]!==void 0),before="{";for(let name of names.sort(byCodeUnit))yield`${before}
${INDENT}${JSON.stringify(name)}: `,yield*memberParts(value[name]),before=",";yield before==="{"?`{}
`:`
}
`}function*memberParts(member){if(!isIterable(member)){yield indented(member,INDENT);return}let inner=INDENT+INDENT,before="[";for(let entry of member)yield`${before}
${inner}${indented(entry,inner)}`,before=",";yield before==="["?"[]":`
${INDENT}]`}function isIterable(member){return typeof member=="object"&&member!==null&&Symbol.iterator in member}var INDENT="  ";function indented(value,by){return JSON.stringify(sorted(value),null,INDENT.length).replaceAll(`
`,`
${by}`)}function byCodeUnit(left,right){return left<right?-1:left>right?1:0}function stableLine(value){return`${JSON.stringify(sorted(value))}
`}function sorted(value){if(value===null||typeof value=="string"||typeof value=="boolean")return value;if(typeof value=="number"){if(!Number.isFinite(value))throw new TypeError(`JSON cannot hold ${value}`);return value}if(Array.isArray(value))return value.map(sorted);if(typeof value!="object")throw new TypeError(`JSON cannot hold a ${typeof value}`);let members=Object.entries(value).filter(([,member])=>member!==void 0);return members.sort(([left],[right])=>byCodeUnit(left,right)),Object.fromEntries(members.map(([key,member])=>[key,sorted(member)]))}export{stableJson,stableJsonParts,byCodeUnit,stableLine};
