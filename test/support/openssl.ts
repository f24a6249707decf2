export * from '../../simulator/test/support/openssl.ts'
