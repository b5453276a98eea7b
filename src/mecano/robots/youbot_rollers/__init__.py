"""KUKA youBot with every roller of its wheels as a body of its own."""
