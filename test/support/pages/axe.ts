export * from '../../../simulator/test/support/axe.ts'
