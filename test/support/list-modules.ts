/** Preloaded with `--import`: appends the URL of each module that a process and its threads load to the file `MODULES`. */

import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

registerHooks({
  load(url, context, next) {
    appendFileSync(process.env.MODULES as string, `${url}\n`)
    return next(url, context)
  },
})
