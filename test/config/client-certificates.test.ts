import { expect, test } from 'vitest'
import { load, minimumWith, mistakes } from './files.ts'

const TLS = { certificate: 'api.crt', privateKey: 'api.key' }

test.each([
  [{}, null, null],
  [TLS, null, null],
  [{ clientCertificates: 'off' }, 'off', null],
  [{ ...TLS, clientTrust: 'apps.pem' }, null, expect.stringMatching(/\/apps\.pem$/)],
  [
    { ...TLS, clientTrust: 'apps.pem', clientCertificates: 'required' },
    'required',
    expect.stringMatching(/\/apps\.pem$/),
  ],
])('api: %j is good', (api, clientCertificates, clientTrust) => {
  expect(load(minimumWith('api', api)).api).toMatchObject({ clientCertificates, clientTrust })
})

test.each([
  [{ clientCertificates: 'optional' }, ['api.clientCertificates', 'api.clientTrust']],
  [{ clientTrust: 'apps.pem' }, ['api.clientTrust']],
  [{ ...TLS, clientCertificates: 'required' }, ['api.clientTrust']],
  [{ ...TLS, clientCertificates: 'off', clientTrust: 'apps.pem' }, ['api.clientTrust']],
  [{ ...TLS, clientCertificates: 'maybe' }, ['api.clientCertificates']],
  [{ servicePathSegment: 'Svc' }, ['api.servicePathSegment']],
  [{ servicePathSegment: 'a.b' }, ['api.servicePathSegment']],
])('api: %j is a mistake', (api, keys) => {
  const found = mistakes(minimumWith('api', api))
  expect(found.map((mistake) => mistake.split(':')[0]).sort()).toEqual(keys)
})
