import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

// Fills a store with the code of a checkout: node fill.ts CHECKOUT FILE EVENTS [DESTINATION]

const [root, file, count, destination] = process.argv.slice(2) as [string, string, string, string?]
const module = pathToFileURL(join(root, 'test/bench/fill-store.ts')).href
const { fillStore } = (await import(module)) as typeof import('./fill-store.ts')
await fillStore(file, Number(count), destination && JSON.parse(destination))
