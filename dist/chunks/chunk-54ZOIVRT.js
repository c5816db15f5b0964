import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
function withMembers(names,memberOf){let made={};for(let name of names){let value=memberOf(name);name!=="__proto__"?made[name]=value:Object.defineProperty(made,name,{value,enumerable:!0,writable:!0,configurable:!0})}return made}function stableJson(value){return`${JSON.stringify(sorted(value),null,2)}
`}function*stableJsonParts(value){let names=Object.keys(value).filter(name=>value[name]!==void 0),before="{";for(let name of names.sort(byCodeUnit))yield`${before}
${INDENT}${JSON.stringify(name)}: `,yield*memberParts(value[name]),before=",";yield before==="{"?`{}
`:`
}
`}function*memberParts(member){if(!isIterable(member)){yield indented(member,INDENT);return}let inner=INDENT+INDENT,before="[";for(let entry of member)yield`${before}
${inner}${indented(entry,inner)}`,before=",";yield before==="["?"[]":`
${INDENT}]`}function isIterable(member){return typeof member=="object"&&member!==null&&Symbol.iterator in member}var INDENT="  ";function indented(value,by){return JSON.stringify(sorted(value),null,INDENT.length).replaceAll(`
`,`
${by}`)}function byCodeUnit(left,right){return left<right?-1:left>right?1:0}function stableLine(value){return`${JSON.stringify(sorted(value))}
`}function sorted(value){if(value===null||typeof value=="string"||typeof value=="boolean")return value;if(typeof value=="number"){if(!Number.isFinite(value))throw new TypeError(`JSON cannot hold ${value}`);return value}if(Array.isArray(value))return value.map(sorted);if(typeof value!="object")throw new TypeError(`JSON cannot hold a ${typeof value}`);let members=value,names=Object.keys(members).filter(name=>members[name]!==void 0);return withMembers(names.sort(),name=>sorted(members[name]))}export{withMembers,stableJson,stableJsonParts,byCodeUnit,stableLine};
