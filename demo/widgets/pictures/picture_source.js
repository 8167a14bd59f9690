// @ts-check
// A source that is a picture: a PNG in a data URL, which an image may show as it is.
const PICTURE = /^data:image\/png;base64,[A-Za-z0-9+/]+={0,2}$/;
const MAX_CHARACTERS = 65536;

export const pictureSource = (text) =>
  typeof text === "string" && text.length <= MAX_CHARACTERS && PICTURE.test(text) ? text : null;

// The picture as an image, with sharp pixels, since the network reads pixels.
export function pictureImage(source, className, alt) {
  const image = document.createElement("img");
  image.className = className;
  image.alt = alt;
  image.src = source;
  return image;
}
