import { expect, it } from 'vitest'
import { receiverTypes } from '../../packaging/receiver-types.ts'

it('the types of the receiver are those of the schemas', async () => {
  await expect(receiverTypes()).toMatchFileSnapshot('../../receiver/src/events.ts')
})
