// What hostile TypeScript tries. Each is the body of an async function that returns what it got hold of; `bait` says where
// something lies to get hold of. The same text runs inside the sandbox, and outside as its control.

import { findDeno } from '../../../../plugins/sandbox/deno.js'

export interface Bait {
  text: string
  json: string
  module: string
  folder: string
  secret: string
  tcp: number
  udp: number
  variable: string
  pid: number
}

/** Attempts whose evidence is the secret itself. */
export const SECRETS: Record<string, string> = {
  'Deno.readTextFile': 'return await Deno.readTextFile(bait.text)',
  'Deno.readTextFileSync': 'return Deno.readTextFileSync(bait.text)',
  'Deno.readFile': 'return new TextDecoder().decode(await Deno.readFile(bait.text))',
  'Deno.open and a reader': 'const file = await Deno.open(bait.text); return await new Response(file.readable).text()',
  'node:fs readFileSync': 'return (await import("node:fs")).readFileSync(bait.text, "utf8")',
  'node:fs/promises readFile': 'return await (await import("node:fs/promises")).readFile(bait.text, "utf8")',
  'node:fs createReadStream': 'const parts = []; for await (const part of (await import("node:fs")).createReadStream(bait.text, "utf8")) parts.push(part); return parts.join("")',
  'node:fs openSync on a file descriptor': 'const fs = await import("node:fs"); const fd = fs.openSync(bait.text, "r"); const b = Buffer.alloc(100); return b.toString("utf8", 0, fs.readSync(fd, b))',
  'a path that climbs out of the job': 'return await Deno.readTextFile("../".repeat(30) + bait.text.slice(1))',
  'a path by way of /proc/self/root': 'return await Deno.readTextFile("/proc/self/root" + bait.text)',
  'a path by way of /proc/self/cwd': 'return await Deno.readTextFile("/proc/self/cwd/" + "../".repeat(30) + bait.text.slice(1))',
  'fetch of a file: URL': 'return await (await fetch("file://" + bait.text)).text()',
  'a computed import of text': 'return (await import("file://" + bait.text, { with: { type: "text" } })).default',
  'a computed import of JSON': 'return (await import("file://" + bait.json, { with: { type: "json" } })).default.secret',
  'a computed import of a module': 'return (await import("file://" + bait.module)).default',
  'an import from a data: URL': 'return (await import("data:text/javascript," + encodeURIComponent("export { default } from " + JSON.stringify("file://" + bait.module)))).default',
  'an import from a blob: URL': 'return (await import(URL.createObjectURL(new Blob(["export { default } from " + JSON.stringify("file://" + bait.module)], { type: "text/javascript" })))).default',
  'an import by way of eval': 'return (await (0, eval)("import(" + JSON.stringify("file://" + bait.module) + ")")).default',
  'an import by way of new Function': 'return (await new Function("p", "return import(p)")("file://" + bait.module)).default',
  'require of JSON': 'const { createRequire } = await import("node:module"); return createRequire("file:///tmp/x.js")(bait.json).secret',
  'a module worker': 'return await new Promise((resolve, reject) => { const w = new Worker("file://" + bait.module.replace("bait.ts", "worker.ts"), { type: "module" }); w.onmessage = e => { resolve(e.data); w.terminate() }; w.onerror = e => { e.preventDefault(); reject(new Error(e.message)) } })',
  'a worker from a data: URL that reads': 'return await new Promise((resolve, reject) => { const w = new Worker("data:text/javascript," + encodeURIComponent(`Deno.readTextFile(${JSON.stringify(bait.text)}).then(t => postMessage(t), e => postMessage("no " + e.name))`), { type: "module" }); w.onmessage = e => { w.terminate(); e.data.startsWith("no ") ? reject(new Error(e.data)) : resolve(e.data) }; w.onerror = e => { e.preventDefault(); reject(new Error(e.message)) } })',
  'node:worker_threads': 'const { Worker } = await import("node:worker_threads"); return await new Promise((resolve, reject) => { const w = new Worker(`require("node:worker_threads").parentPort.postMessage(require("node:fs").readFileSync(${JSON.stringify(bait.text)}, "utf8"))`, { eval: true }); w.on("message", m => { resolve(m); w.terminate() }); w.on("error", reject) })',
  'node:vm': 'return (await import("node:vm")).runInThisContext("Deno").readTextFileSync(bait.text)',
  'process.binding or a builtin by name': 'return process.getBuiltinModule("node:fs").readFileSync(bait.text, "utf8")',
  'node:sqlite': 'const { DatabaseSync } = await import("node:sqlite"); const path = bait.folder + "/s.db"; const db = new DatabaseSync(path); db.exec("create table if not exists t (a)"); db.close(); return (await Deno.stat(path)).isFile ? bait.secret : ""',
  'a variable by Deno.env': 'return Deno.env.get(bait.variable)',
  'a variable by process.env': 'return process.env[bait.variable]',
  'all variables': 'return JSON.stringify(Deno.env.toObject())',
  'variables by /proc/self/environ': 'return await Deno.readTextFile("/proc/self/environ")',
  'variables of another process': 'return await Deno.readTextFile(`/proc/${bait.pid}/environ`)',
  'a link to it': 'const link = bait.folder + "/link" + Math.random(); await Deno.symlink(bait.text, link); return await Deno.readTextFile(link)',
  'a link inside the job': 'const link = new URL("./link", import.meta.url).pathname; try { await Deno.symlink(bait.text, link); return await Deno.readTextFile(link) } finally { await Deno.remove(link).catch(() => {}) }',
  'a copy of it': 'const copy = bait.folder + "/copy" + Math.random(); await Deno.copyFile(bait.text, copy); return await Deno.readTextFile(copy)',
  'a process that reads it': 'return new TextDecoder().decode((await new Deno.Command("/bin/cat", { args: [bait.text] }).output()).stdout)',
  'node:child_process execSync': 'return (await import("node:child_process")).execSync("/bin/cat " + bait.text).toString()',
  'node:child_process spawn of Deno itself': `return (await import("node:child_process")).execFileSync(${JSON.stringify(findDeno())}, ["eval", "console.log(Deno.readTextFileSync(Deno.args[0]))", bait.text], { env: {} }).toString()`,
  'a foreign function': 'const lib = Deno.dlopen("libc.so.6", { getpid: { parameters: [], result: "i32" } }); const pid = lib.symbols.getpid(); lib.close(); return pid > 0 ? bait.secret : ""',
  'a module that does not parse, and its message': 'try { await import("file://" + bait.text) } catch (e) { const told = String(e) + e.stack; return told.includes(bait.secret) ? told : "" }',
  'a source map that names it': 'const { SourceMap } = await import("node:module"); return (await import("node:fs")).readFileSync(bait.text, "utf8") + typeof SourceMap',
  'Deno.readLink and stat': 'return (await Deno.stat(bait.text)).isFile ? bait.secret : ""',
  'a listing of its folder': 'for await (const entry of Deno.readDir(bait.folder.replace(/\\/open$/, ""))) if (entry.name === "bait.txt") return bait.secret',
  'a permission asked for': 'return (await Deno.permissions.request({ name: "read" })).state === "granted" ? await Deno.readTextFile(bait.text) : ""'
}

/** Attempts whose evidence is found outside: a connection, a file, a process that is gone. */
export const TRACES: Record<string, string> = {
  'Deno.connect': 'const c = await Deno.connect({ hostname: "127.0.0.1", port: bait.tcp }); await c.write(new TextEncoder().encode("x")); c.close(); return "ok"',
  'node:net': 'const net = await import("node:net"); return await new Promise((resolve, reject) => { const s = net.connect(bait.tcp, "127.0.0.1", () => { s.destroy(); resolve("ok") }); s.on("error", reject) })',
  'fetch over HTTP': 'return await fetch(`http://127.0.0.1:${bait.tcp}/`).then(() => "ok", e => { if (/denied|NotCapable|net access/i.test(String(e) + String(e.cause))) throw e; return "ok" })',
  'a WebSocket': 'return await new Promise((resolve, reject) => { const w = new WebSocket(`ws://127.0.0.1:${bait.tcp}/`); w.onopen = w.onclose = () => resolve("ok"); w.onerror = () => {} })',
  'node:http': 'const http = await import("node:http"); return await new Promise((resolve, reject) => { http.get(`http://127.0.0.1:${bait.tcp}/`, () => resolve("ok")).on("error", e => /denied|NotCapable|net access/i.test(String(e)) ? reject(e) : resolve("ok")) })',
  'node:dgram': 'const d = (await import("node:dgram")).createSocket("udp4"); return await new Promise((resolve, reject) => { d.on("error", reject); d.send("x", bait.udp, "127.0.0.1", e => { d.close(); e ? reject(e) : resolve("ok") }) })',
  'a listener of its own': 'const l = Deno.listen({ port: 0, hostname: "127.0.0.1" }); l.close(); return "ok"',
  'a server of node:http': 'const http = await import("node:http"); return await new Promise((resolve, reject) => { const s = http.createServer(); s.on("error", reject); s.listen(0, "127.0.0.1", () => { s.close(); resolve("ok") }) })',
  'a name that is looked up': 'return await Promise.race([Deno.resolveDns("svc.test", "A", { nameServer: { ipAddr: "127.0.0.1", port: bait.udp } }).then(() => "ok"), new Promise(r => setTimeout(r, 800, "ok"))])',
  'node:dns': 'const dns = await import("node:dns/promises"); await dns.lookup("localhost"); return "ok"',
  'a file outside': 'await Deno.writeTextFile(bait.folder + "/w1" + Math.random(), "x"); return "ok"',
  'a file inside the job': 'const path = new URL("./written.txt", import.meta.url).pathname; await Deno.writeTextFile(path, "x"); await Deno.remove(path); return "ok"',
  'node:fs writeFileSync': 'const fs = await import("node:fs"); fs.writeFileSync(bait.folder + "/w2" + Math.random(), "x"); return "ok"',
  'a folder': 'await Deno.mkdir(bait.folder + "/d" + Math.random()); return "ok"',
  'a temporary file': 'const path = await Deno.makeTempFile(); await Deno.remove(path); return "ok"',
  'a changed mode': 'await Deno.chmod(bait.text, 0o644); return "ok"',
  'a hard link': 'await Deno.link(bait.text, bait.folder + "/h" + Math.random()); return "ok"',
  localStorage: 'localStorage.setItem("mark", "x"); return localStorage.getItem("mark") === "x" ? "ok" : ""',
  'a cache': 'const c = await caches.open("mark"); await c.put("https://x.y/z", new Response("x")); return (await c.match("https://x.y/z")) ? "ok" : ""',
  'a key-value store': 'const kv = await Deno.openKv(bait.folder + "/kv" + Math.random()); await kv.set(["a"], 1); kv.close(); return "ok"',
  'a signal to a process': 'Deno.kill(bait.pid, "SIGTERM"); return "ok"',
  'a signal by node:process': 'const { kill, pid } = await import("node:process"); (await import("node:process")).default.kill(bait.pid, "SIGTERM"); return "ok"',
  'the name of the host': 'return Deno.hostname() ? "ok" : ""',
  'the network\'s interfaces': 'return Deno.networkInterfaces().length >= 0 ? "ok" : ""',
  'the user\'s home': 'return (await import("node:os")).homedir() && (await import("node:os")).userInfo().uid >= 0 ? "ok" : ""',
  'a changed working folder': 'Deno.chdir("/"); return "ok"',
  'the inspector': 'const inspector = await import("node:inspector"); inspector.open(0, "127.0.0.1"); return inspector.url() ? "ok" : ""',
  'a heap snapshot on disk': 'const v8 = await import("node:v8"); return v8.writeHeapSnapshot(bait.folder + "/heap") ? "ok" : ""'
}

/** The module that makes one attempt. */
export function moduleOf (body: string, bait: Bait): string {
  return `const bait: any = ${JSON.stringify(bait)}\nexport async function attempt (): Promise<unknown> {\n  ${body}\n}\n`
}
