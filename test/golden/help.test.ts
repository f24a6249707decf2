import { join } from 'node:path'
import { expect, it } from 'vitest'
import { everyCommand, nameOf } from '../cli/every-command.ts'
import { portaria } from '../cli/program.ts'

it.each([
  ['en', 'help.txt'],
  ['pt', 'help.pt.txt'],
])('the help of every command is what it was before (%s); --update writes it', async (language, file) => {
  const outputs: string[] = []
  for (const name of ['', ...(await everyCommand()).map(nameOf)]) {
    const words = [...name.split(' ').filter(Boolean), '--help']
    const { code, stdout, stderr } = await portaria(null, '--lang', language, ...words)
    expect([code, stderr], name).toEqual([0, ''])
    outputs.push(`$ portaria ${words.join(' ')}\n${stdout}`)
  }
  await expect(outputs.join('\n')).toMatchFileSnapshot(join(import.meta.dirname, 'outputs', file))
})
