export * from '../../simulator/test/support/browser.ts'
