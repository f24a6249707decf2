// The button that checks all boxes of a list, or none. Without the module there is no button.

for (const button of document.querySelectorAll('[data-choose-form]')) {
  const boxes = [...document.querySelectorAll(`input[type="checkbox"][form="${button.dataset.chooseForm}"]`)]
  const areAll = () => boxes.every((box) => box.checked)
  const show = () => {
    button.textContent = areAll() ? button.dataset.none : button.dataset.all
  }
  button.addEventListener('click', () => {
    const checked = !areAll()
    for (const box of boxes) box.checked = checked
    show()
  })
  for (const box of boxes) box.addEventListener('change', show)
  show()
  button.hidden = boxes.length === 0
}
