/** A program whose base addresses cannot be changed: it uses the published client as it is. Prints what it found as JSON. */

import { API_OF, type Build, loadBuild } from './builds.ts'
import type { Surroundings } from './calls.ts'
import { makeEveryCall } from './every-call.ts'
import { judgeAnswers } from './judged.ts'

const { BUILD, SURROUNDINGS = '' } = process.env
const build = await loadBuild(BUILD as Build)
const surroundings = JSON.parse(SURROUNDINGS) as Surroundings
const verdict = judgeAnswers(await makeEveryCall(build, surroundings), build)

// Node's own fetch, at both environments.
const titles = Object.values(API_OF).flatMap((api) => Object.values(build.apis[api]?.URL ?? {}).map(titleAt))
async function titleAt(url: string): Promise<string> {
  const response = await fetch(new URL('/openapi.json', url))
  return ((await response.json()) as { info: { title: string } }).info.title
}
process.stdout.write(JSON.stringify({ verdict, titles: await Promise.all(titles) }))
