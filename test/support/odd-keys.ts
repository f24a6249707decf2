export * from '../../simulator/test/support/odd-keys.ts'
