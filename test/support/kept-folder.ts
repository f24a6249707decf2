export * from '../../simulator/test/support/kept-folder.ts'
