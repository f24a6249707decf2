// Reads a chosen file into the text field. Without this module the field for files stays hidden, and the text can be pasted.

const MOST_BYTES = 48 * 1024

const field = document.getElementById('file-field')
const file = document.getElementById('file')
const hint = document.getElementById('file-hint')
const pem = document.getElementById('pem')

field.hidden = false
file.addEventListener('change', async () => {
  const [chosen] = file.files
  if (chosen === undefined) return
  if (chosen.size > MOST_BYTES) {
    hint.textContent = file.dataset.tooLarge
    file.value = ''
    return
  }
  pem.value = await chosen.text()
  hint.textContent = chosen.name
})
