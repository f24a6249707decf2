import { describe, expect, it } from 'vitest'
import { checkDestinationUrl, compileAddressRules } from '../../../src/domain/address-rules.ts'
import { hasMaskedValue, shownUrl } from '../../../src/domain/masking/shown-url.ts'

const AT = 'https://app.example/in'

describe('a shown URL', () => {
  it.each([
    ['', ''],
    ['?', '?'],
    ['?token=s3cret', '?token=***'],
    ['?a=s3cret&b=&c=s3cret&&d', '?a=***&b=&c=***&&***'],
    ['?token=s3cret=s3cret', '?token=***'],
    ['?s3cret', '?***'],
    ['?a=s3cret?b=s3cret', '?a=***'],
    ['?t%20k=s3%2Fcret', '?t%20k=***'],
    ['?a=s3cret#part?b=1', '?a=***#part?b=1'],
    ['?url=https://s3cret.example/?x=s3cret', '?url=***'],
  ])('%s is %s', (query, shown) => {
    expect(shownUrl(AT + query)).toBe(AT + shown)
    expect(shownUrl(shownUrl(AT + query))).toBe(AT + shown)
  })
})

it.each(['?token=***', '?a=1&***', '?a=1&b=***'])('%s cannot be stored', (query) => {
  expect(hasMaskedValue(AT + query)).toBe(true)
  expect(() => checkDestinationUrl(AT + query, compileAddressRules([]))).toThrow(
    'the URL has *** for a value in its query: write the value itself',
  )
})

it('stars beside other characters are a value', () => {
  expect(checkDestinationUrl(`${AT}?a=****&b=x***`, compileAddressRules([])).search).toBe('?a=****&b=x***')
})
