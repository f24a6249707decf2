export * from '../../simulator/test/support/until.ts'
