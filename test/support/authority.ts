export * from '../../simulator/test/support/authority.ts'
