import { expect, it } from 'vitest'
import { createTurns } from '../../src/platform/turns.ts'

/** Takes turns for the keys in their order, and says who has one. */
function queue(limits: { places: number; placesOfKey: number; waitingOfKey?: number }) {
  const turns = createTurns({ waitingOfKey: 9, ...limits })
  const inside: string[] = []
  const leaves = new Map<string, () => void>()
  return {
    inside,
    async enter(name: string) {
      const leave = await turns.take(name.charAt(0))
      inside.push(name)
      leaves.set(name, () => {
        inside.splice(inside.indexOf(name), 1)
        leave()
        leave()
      })
    },
    leave: (name: string) => leaves.get(name)?.(),
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

it('a key has at most its places, and leaves the others to other keys', async () => {
  const { inside, enter } = queue({ places: 3, placesOfKey: 2 })
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1']) void enter(name)
  await settled()
  expect(inside).toEqual(['a1', 'a2', 'b1'])
})

it('the keys take turns, whichever asked more often', async () => {
  const { inside, enter, leave } = queue({ places: 1, placesOfKey: 1 })
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) void enter(name)
  const order: string[] = []
  for (let n = 0; n < 6; n++) {
    await settled()
    const [name] = inside as [string]
    order.push(name)
    leave(name)
  }
  expect(order).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2'])
})

it('a place that is given back twice is free once', async () => {
  const { inside, enter, leave } = queue({ places: 1, placesOfKey: 1 })
  for (const name of ['a1', 'a2', 'a3']) void enter(name)
  await settled()
  leave('a1')
  await settled()
  expect(inside).toEqual(['a2'])
})

it('refuses a caller that finds too many of its key waiting', async () => {
  const { enter } = queue({ places: 1, placesOfKey: 1, waitingOfKey: 2 })
  for (const name of ['a1', 'a2', 'a3']) void enter(name)
  await expect(enter('a4')).rejects.toMatchObject({ code: 'queue_full' })
  void enter('b1')
})
