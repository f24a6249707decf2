import { describe, expect, it } from 'vitest'
import { closeTogether, createClosing } from '../../src/gateway/close.ts'

describe('closing', () => {
  it('runs in reverse order, each part after the one before it has ended', async () => {
    const closing = createClosing()
    const done: string[] = []
    closing.defer(() => done.push('first'))
    closing.defer(async () => {
      await new Promise(setImmediate)
      done.push('second')
    })

    await closing.close()

    expect(done).toEqual(['second', 'first'])
  })

  it('continues past parts that fail, and throws an error whose cause is the first failure', async () => {
    const closing = createClosing()
    const done: string[] = []
    const [first, second] = [new Error('socket'), new Error('timer')]
    closing.defer(() => done.push('store'))
    closing.defer(() => {
      throw second
    })
    closing.defer(() => Promise.reject(first))

    await expect(closing.close()).rejects.toMatchObject({ message: 'not closed: socket; timer', cause: first })
    expect(done).toEqual(['store'])
  })

  it('happens once: a caller that closes again waits for the same end', async () => {
    const closing = createClosing()
    let count = 0
    closing.defer(async () => {
      await new Promise(setImmediate)
      count++
    })

    const begun = closing.close()
    await closing.close()
    await begun

    expect(count).toBe(1)
  })

  it('of parts together waits for all of them and loses no failure', async () => {
    const closing = createClosing()
    const done: string[] = []
    const [first, second] = [new Error('callbacks'), new Error('api')]
    closing.defer(() => done.push('store'))
    closing.defer(() =>
      closeTogether([
        () => Promise.reject(first),
        async () => {
          await new Promise(setImmediate)
          done.push('charges')
        },
        () => {
          throw second
        },
      ]),
    )

    await expect(closing.close()).rejects.toMatchObject({ message: 'not closed: callbacks; api', cause: first })
    expect(done).toEqual(['charges', 'store'])
  })
})
