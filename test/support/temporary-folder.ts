export * from '../../simulator/test/support/temporary-folder.ts'
