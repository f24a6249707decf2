export * from '../../simulator/test/support/ports.ts'
