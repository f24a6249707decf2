import { expect, it } from 'vitest'
import { reasonIn, STEPS } from '../../src/messages/reasons.ts'
import { speaker } from '../../src/messages/speaker.ts'

it.each(Object.keys(STEPS))('%s has its Portuguese', (code) => {
  const [english, own] = [reasonIn(code, speaker('en')), reasonIn(code, speaker('pt'))]
  expect(own?.text).not.toBe(english?.text)
  expect(own?.nextStep).not.toBe(english?.nextStep)
})
