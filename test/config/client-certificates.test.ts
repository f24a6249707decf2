import { expect, test } from 'vitest'
import { load, minimumWith, mistakes } from './files.ts'

const TLS = { certificate: 'api.crt', privateKey: 'api.key' }

test.each([
  [{}, null, null],
  [TLS, null, null],
  [{ clientCertificates: 'off' }, 'off', null],
  [{ ...TLS, clientCa: 'apps.pem' }, null, expect.stringMatching(/\/apps\.pem$/)],
  [{ ...TLS, clientCa: 'apps.pem', clientCertificates: 'required' }, 'required', expect.stringMatching(/\/apps\.pem$/)],
])('api: %j is good', (api, clientCertificates, clientCa) => {
  expect(load(minimumWith('api', api)).api).toMatchObject({ clientCertificates, clientCa })
})

test.each([
  [{ clientCertificates: 'optional' }, ['api.clientCa', 'api.clientCertificates']],
  [{ clientCa: 'apps.pem' }, ['api.clientCa']],
  [{ ...TLS, clientCrl: ['apps.crl'] }, ['api.clientCrl']],
  [{ ...TLS, clientCertificates: 'required' }, ['api.clientCa']],
  [{ ...TLS, clientCertificates: 'off', clientCa: 'apps.pem' }, ['api.clientCa']],
  [{ ...TLS, clientCertificates: 'maybe' }, ['api.clientCertificates']],
  [{ servicePathSegment: 'Svc' }, ['api.servicePathSegment']],
  [{ servicePathSegment: 'a.b' }, ['api.servicePathSegment']],
])('api: %j is a mistake', (api, keys) => {
  const found = mistakes(minimumWith('api', api))
  expect(found.map((mistake) => mistake.split(':')[0]).sort()).toEqual(keys)
})
