import { expect, it } from 'vitest'
import { withMembers } from '../../src/trigger/changed-members.ts'

it('sets members of objects and arrays, keeps the kind of their values, and adds what is missing', () => {
  const body = { status: { atual: 'A' }, pix: [{ valor: '1.00', count: 1, isOn: true }] }

  expect(
    withMembers(body, [
      ...['status.atual=B=C', 'pix.0.valor=2', 'pix.0.count=3', 'pix.0.isOn=false', 'pix.1:={"valor":null}'],
      ...['new.inner=x', '__proto__.polluted=yes'],
    ]),
  ).toEqual(
    Object.assign(JSON.parse('{"__proto__":{"polluted":"yes"}}'), {
      status: { atual: 'B=C' },
      pix: [{ valor: '2', count: 3, isOn: false }, { valor: null }],
      new: { inner: 'x' },
    }),
  )
  expect(body.pix[0]?.valor).toBe('1.00')
  expect(({} as { polluted?: string }).polluted).toBeUndefined()
})

it.each([
  ['valor', /give MEMBER=VALUE/],
  ['status.atual.deep=1', /no object or array in which deep could be/],
  ['pix.x=1', /x is no place in an array/],
  ['pix.4.valor=1', /the array has no place 4/],
  ['pix.0.count=one', /is no JSON/],
  ['pix.0.count=true', /the member is a number/],
  ['a:={', /is no JSON/],
])('refuses %s, and says why', (setting, pattern) => {
  const body = { status: { atual: 'A' }, pix: [{ count: 1 }] }
  expect(() => withMembers(body, [setting])).toThrow(pattern)
})

it.each([
  ['status.atul=X', '--set status.atul=X adds status.atul: status has atual'],
  ['stauts.atual=X', '--set stauts.atual=X adds stauts.atual: the body has status, pix'],
  ['pix.1:={}', '--set pix.1:={} adds pix.1: pix has 0'],
  ['status.atual=X', null],
  ['pix.0.count:=null', null],
])('says of %s what it adds, and beside what', (setting, text) => {
  const notes: string[] = []
  withMembers({ status: { atual: 'A' }, pix: [{ count: 1 }] }, [setting], (note) => notes.push(note))
  expect(notes).toEqual(text === null ? [] : [text])
})
