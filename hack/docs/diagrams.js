// Says which diagrams of the pages the browser could not draw: diagrams.js SCRIPT FILE, where the file has a JSON object with the diagrams
// of each page. Otherwise only a reader would see that. The script wants a browser; of one it gets what reading needs.
const fs = require("fs");
const vm = require("vm");

const nothing = () => null;
const element = { setAttribute: nothing, appendChild: nothing, style: {} };
Object.assign(globalThis, { window: globalThis, Element: class {}, addEventListener: nothing });
// Without an implementation of documents nothing is cleaned, which is for showing.
globalThis.document = {
  nodeType: 9, implementation: {}, documentElement: element, head: element, body: element,
  createElement: () => ({ ...element }), getElementsByTagName: () => [], querySelector: nothing, addEventListener: nothing,
};

const [script, file] = process.argv.slice(2);
vm.runInThisContext(fs.readFileSync(script, "utf8"));

async function main() {
  for (const [page, diagrams] of Object.entries(JSON.parse(fs.readFileSync(file, "utf8")))) {
    for (const diagram of diagrams) {
      try {
        await globalThis.mermaid.parse(diagram);
      } catch (error) {
        console.error(`${page} has a diagram that cannot be drawn: ${error.message}`);
        process.exitCode = 1;
      }
    }
  }
}

main();
